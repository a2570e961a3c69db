package dev.headrace.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.Resize;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** NVIDIA's assembler takes what is generated. It needs no device. */
class PtxasTest {
  private final InterpretedDevice device = new InterpretedDevice();

  @TempDir @Nullable Path folder;

  private static Path ptxas() {
    String property = System.getProperty("headrace.ptxas");
    Stream<Path> onPath =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
            .map(entry -> Path.of(entry, "ptxas"));
    Optional<Path> found =
        Stream.concat(Stream.ofNullable(property).map(Path::of), onPath)
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(
        found.isPresent(),
        "no ptxas on the PATH; -Dheadrace.ptxas=… says where it is (PyPI's nvidia-cuda-nvcc has"
            + " it)");
    return found.orElseThrow();
  }

  /** The texts of all cases; each is one entry. */
  private Set<String> texts() {
    Set<String> texts = new LinkedHashSet<>();
    for (ParityCase parity : ParityCases.all()) {
      List<Tensor> inputs = parity.inputs().stream().map(device::put).toList();
      for (Program.Launch launch : Kernels.compile(parity.computation().apply(inputs)).launches()) {
        texts.add(launch.ptx());
      }
    }
    return texts;
  }

  /** Many modules as one, the entries numbered. */
  private static String together(Set<String> texts) {
    StringBuilder all = new StringBuilder(".version 7.0\n.target sm_75\n.address_size 64\n");
    int number = 0;
    for (String text : texts) {
      all.append(
          text.substring(text.indexOf("//"))
              .replaceFirst("\\.entry (\\w+)\\(", ".entry $1_" + number++ + "("));
    }
    return all.toString();
  }

  private String assemble(String text, String architecture)
      throws IOException, InterruptedException {
    Path folder = this.folder == null ? Path.of(".") : this.folder;
    Path source = Files.writeString(folder.resolve("kernel.ptx"), text);
    List<String> command = new ArrayList<>(List.of(ptxas().toString(), "--warning-as-error"));
    command.addAll(List.of("-arch", architecture, source.toString()));
    if (architecture.startsWith("sm_")) { // else -v would make CUDA 12.8's crash
      command.addAll(List.of("-v", "-o", folder.resolve("kernel.cubin").toString()));
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  @Test
  void allTextsAreUnderstood() throws IOException, InterruptedException {
    ptxas();
    Set<String> texts = texts();
    assertThat(texts).hasSizeGreaterThan(300);
    assemble(together(texts), "compute_80");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sm_75", "sm_80", "sm_90"})
  void commonChainsAreAssembledWithoutSpilling(String architecture)
      throws IOException, InterruptedException {
    Tensor photo = device.put(Tensor.zeros(DType.UINT8, Shape.of(40, 50, 3)));
    float[] some = {1, 2, 3};
    List<Tensor> chains =
        List.of(
            photo.resize(24, 24).flipLeftRight().normalise(some, some).toNchw(),
            photo.resize(24, 24, Resize.BILINEAR.antialiased()).convert(DType.UINT8),
            photo.adjustHue(0.1).adjustSaturation(0.5).standardise().toNchw(),
            photo.convert(DType.FLOAT32).square().sum());
    for (Tensor chain : chains) {
      for (Program.Launch launch : Kernels.compile(chain).launches()) {
        assertThat(assemble(launch.ptx(), architecture))
            .contains("0 bytes spill stores, 0 bytes spill loads");
      }
    }
  }
}

package dev.headrace.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What users read where something is missing. */
@Timeout(60)
class MissingDriverTest {

  /** Runs in a JVM of its own. */
  static final class OpensAGpu {
    public static void main(String[] arguments) {
      try (Device device = Device.gpu(0)) {
        System.out.println("opened " + device.name());
      } catch (DeviceException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void aGpuThatIsNotThereIsRefusedInOneSentence() {
    assertThatThrownBy(() -> Device.gpu(999))
        .isInstanceOf(DeviceException.class)
        .message()
        .startsWith("device gpu:999: expected ")
        .contains(", but ")
        .doesNotContain("\n");
    assertThatThrownBy(() -> Device.gpu(-1))
        .isInstanceOf(DeviceException.class)
        .hasMessageStartingWith("device gpu:-1: expected ");
  }

  @Test
  void nativeAccessThatIsDeniedNamesTheFlag() throws Exception {
    Child.Outcome outcome = Child.run(OpensAGpu.class, "--illegal-native-access=deny");
    assertThat(outcome.output().strip())
        .isEqualTo(
            "device gpu:0: expected permission to call native code, but Java was told to deny it;"
                + " start it with --enable-native-access=ALL-UNNAMED");
  }

  @Test
  void aModuleIsToldItsOwnFlag() {
    assertThat(CudaDriver.nativeAccessDenied(Object.class.getModule()))
        .endsWith("--enable-native-access=java.base");
  }

  @Test
  void aMissingDriverIsNamed() {
    assertThat(CudaDriver.notFound("Linux"))
        .isEqualTo(
            "expected NVIDIA's driver (libcuda.so.1), but the system's loader does not find it;"
                + " install the driver, or let the container see it (nvidia-smi must work)");
    assertThat(CudaDriver.notFound("Mac OS X"))
        .endsWith("GPUs are supported on Linux, and this is Mac OS X");
  }

  @Test
  void aDriverThatDoesNotStartSaysWhy() {
    String error = "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)";
    assertThat(CudaDriver.startProblem(CudaDriver.NO_DEVICE, error, false))
        .isEqualTo(
            "expected an NVIDIA GPU, but the driver finds none; look at nvidia-smi and"
                + " CUDA_VISIBLE_DEVICES ("
                + error
                + ")");
    assertThat(CudaDriver.startProblem(CudaDriver.NO_DEVICE, error, true))
        .startsWith("expected permission to use /dev/nvidiactl, but it is denied; add the user")
        .contains(error);
    assertThat(CudaDriver.startProblem(CudaDriver.STUB_LIBRARY, "E", false)).contains("stub");
    assertThat(CudaDriver.startProblem(CudaDriver.SYSTEM_DRIVER_MISMATCH, "E", false))
        .contains("their versions differ; restart the machine (E)");
    assertThat(CudaDriver.startProblem(304, "E", false))
        .isEqualTo("expected the driver to start, but it does not: E");
  }

  @Test
  void aMissingLibraryOfNvjpegIsNamed() {
    assertThat(NvJpeg.search("/nowhere/libnvjpeg.so").library()).isNull();
    assertThat(NvJpeg.search("/nowhere/libnvjpeg.so").problem())
        .isEqualTo(
            "expected nvJPEG in the file that headrace.nvjpeg names, but got"
                + " /nowhere/libnvjpeg.so, which cannot be loaded as such");
    NvJpeg.Search byLoader = NvJpeg.search(null);
    assertThat(byLoader.library() != null || byLoader.problem().contains("set headrace.nvjpeg to"))
        .isTrue();
  }

  @Test
  void aMissingCompilerIsNamed() {
    assertThat(Nvrtc.missing(null))
        .startsWith("expected NVRTC (libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so), but ")
        .endsWith("or compile with nvcc -ptx and use ofPtx");
    assertThat(Nvrtc.missing("/nowhere/libnvrtc.so"))
        .contains("but got /nowhere/libnvrtc.so, which cannot be loaded");
  }
}

package dev.headrace.data;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class CompressionTest {
  private static byte[] packed(Compression compression, byte[] content) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (var packer = compression.pack(out)) {
      packer.write(content);
    }
    return out.toByteArray();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /** Reads pieces of differing sizes, given to it in pieces of differing sizes. */
  private static byte[] unpacked(Compression compression, byte[] packed) throws IOException {
    Random random = new Random(packed.length);
    InputStream pieces =
        new ByteArrayInputStream(packed) {
          @Override
          public synchronized int read(byte[] into, int from, int length) {
            return super.read(into, from, Math.min(length, 1 + random.nextInt(50)));
          }
        };
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (InputStream in = compression.unpack(pieces)) {
      byte[] buffer = new byte[100];
      int count;
      while ((count = in.read(buffer, 0, 1 + random.nextInt(buffer.length))) >= 0) {
        out.write(buffer, 0, count);
      }
      assertThat(in.read()).isEqualTo(-1);
    }
    return out.toByteArray();
  }

  private static byte[] content(int bytes) {
    byte[] content = new byte[bytes];
    Random random = new Random(bytes);
    for (int i = 0; i < bytes; i++) {
      content[i] = (byte) random.nextInt(20);
    }
    return content;
  }

  @Test
  void whatIsPackedIsUnpacked() throws IOException {
    for (Compression compression : Compression.values()) {
      for (int bytes : new int[] {0, 1, 100, 70_000, 300_000}) {
        assertThat(unpacked(compression, packed(compression, content(bytes))))
            .isEqualTo(content(bytes));
      }
    }
  }

  @Test
  void membersAreReadThrough() throws IOException {
    byte[] all = {};
    byte[] packed = {};
    for (int i = 0; i < 30; i++) {
      all = join(all, content(i * 37));
      packed = join(packed, packed(Compression.GZIP, content(i * 37)));
    }
    assertThat(unpacked(Compression.GZIP, packed)).isEqualTo(all);
  }

  @Test
  void anEmptyFileIsEmpty() throws IOException {
    assertThat(unpacked(Compression.GZIP, new byte[0])).isEmpty();
    assertThat(unpacked(Compression.ZLIB, new byte[0])).isEmpty();
  }

  @Test
  void headersMayHaveAllParts() throws IOException {
    byte[] plain = packed(Compression.GZIP, content(500));
    byte[] body = Arrays.copyOfRange(plain, 10, plain.length);
    byte[] header =
        join(
            new byte[] {0x1F, (byte) 0x8B, 8, 0x1F, 1, 2, 3, 4, 0, 3, 3, 0, 'a', 'b', 'c'},
            "name\0a comment\0".getBytes(UTF_8));
    CRC32 crc = new CRC32();
    crc.update(header);
    byte[] sum = {(byte) crc.getValue(), (byte) (crc.getValue() >> 8)};
    byte[] full = join(header, sum, body);
    assertThat(unpacked(Compression.GZIP, join(plain, full, plain)))
        .isEqualTo(join(content(500), content(500), content(500)));
    full[5] ^= 1;
    assertThatThrownBy(() -> unpacked(Compression.GZIP, full)).hasMessage("Corrupt GZIP header");
  }

  @Test
  void theJdkPacksTheSame() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream packer = new GZIPOutputStream(out)) {
      packer.write(content(5000));
    }
    assertThat(unpacked(Compression.GZIP, out.toByteArray())).isEqualTo(content(5000));
  }

  @Test
  void nothingBehindAMemberIsTakenForTheEnd() throws IOException {
    byte[] member = packed(Compression.GZIP, content(300));
    byte[] damaged = member.clone();
    damaged[0] ^= 1;
    assertThatThrownBy(() -> unpacked(Compression.GZIP, join(member, damaged)))
        .isInstanceOf(ZipException.class)
        .hasMessage(
            "expected the end or another member behind member 1, but there are other bytes");
    damaged[0] ^= 1;
    damaged[2] = 9;
    assertThatThrownBy(() -> unpacked(Compression.GZIP, join(member, damaged)))
        .hasMessageContaining("method 9");
    assertThatThrownBy(() -> unpacked(Compression.GZIP, join(member, new byte[20])))
        .isInstanceOf(ZipException.class);
    for (int cut = 1; cut < member.length; cut++) {
      byte[] part = Arrays.copyOf(member, cut);
      assertThatThrownBy(() -> unpacked(Compression.GZIP, join(member, part)))
          .isInstanceOf(EOFException.class)
          .hasMessageStartingWith("Unexpected end of");
    }
    byte[] zlib = packed(Compression.ZLIB, content(300));
    assertThatThrownBy(() -> unpacked(Compression.ZLIB, join(zlib, new byte[1])))
        .hasMessage("expected the end behind the packed data, but there are more bytes");
  }

  @Test
  void anyDamageIsFound() throws IOException {
    byte[] member = packed(Compression.GZIP, content(300));
    for (int i = 0; i < member.length; i++) {
      byte[] damaged = member.clone();
      damaged[i] ^= 4;
      if (i < 4 || i > 9) { // not time, effort and system
        assertThatThrownBy(() -> unpacked(Compression.GZIP, damaged))
            .as("byte %d", i)
            .isInstanceOf(IOException.class);
      }
    }
  }
}

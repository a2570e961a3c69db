package dev.headrace.cuda;

/** Kernels for tests, in PTX that every GPU of 2018 and later runs. */
final class TestKernels {
  private TestKernels() {}

  private static final String HEADER =
      """
      .version 6.4
      .target sm_75
      .address_size 64
      """;

  /** {@code out[i] = top - in[i]} for bytes. */
  static final String INVERT =
      HEADER
          + """
          .visible .entry invert(
            .param .u64 p_in, .param .u64 p_out, .param .u64 p_count, .param .u32 p_top)
          {
            .reg .pred %p<2>;
            .reg .b32 %r<7>;
            .reg .b64 %d<8>;
            mov.u32 %r1, %ctaid.x;
            mov.u32 %r2, %ntid.x;
            mov.u32 %r3, %tid.x;
            mul.wide.u32 %d1, %r1, %r2;
            cvt.u64.u32 %d2, %r3;
            add.u64 %d1, %d1, %d2;
            ld.param.u64 %d3, [p_count];
            setp.ge.u64 %p1, %d1, %d3;
            @%p1 bra DONE;
            ld.param.u64 %d4, [p_in];
            cvta.to.global.u64 %d4, %d4;
            add.u64 %d4, %d4, %d1;
            ld.global.u8 %r4, [%d4];
            ld.param.u32 %r5, [p_top];
            sub.u32 %r6, %r5, %r4;
            ld.param.u64 %d5, [p_out];
            cvta.to.global.u64 %d5, %d5;
            add.u64 %d5, %d5, %d1;
            st.global.u8 [%d5], %r6;
          DONE:
            ret;
          }
          """;

  /**
   * Copies rows, one a block, to the result one behind the other. The table has for each row its
   * address and its bytes, all rows being of one length.
   */
  static final String GATHER =
      HEADER
          + """
          .visible .entry gather(.param .u64 p_table, .param .u64 p_out, .param .u32 p_rows)
          {
            .reg .pred %p<3>;
            .reg .b32 %r<7>;
            .reg .b64 %d<12>;
            mov.u32 %r1, %ctaid.x;
            ld.param.u32 %r2, [p_rows];
            setp.ge.u32 %p1, %r1, %r2;
            @%p1 bra DONE;
            ld.param.u64 %d1, [p_table];
            cvta.to.global.u64 %d1, %d1;
            mul.wide.u32 %d2, %r1, 16;
            add.u64 %d1, %d1, %d2;
            ld.global.u64 %d3, [%d1];
            ld.global.u64 %d4, [%d1+8];
            cvta.to.global.u64 %d3, %d3;
            ld.param.u64 %d5, [p_out];
            cvta.to.global.u64 %d5, %d5;
            cvt.u64.u32 %d6, %r1;
            mul.lo.u64 %d7, %d6, %d4;
            add.u64 %d5, %d5, %d7;
            mov.u32 %r3, %tid.x;
            mov.u32 %r4, %ntid.x;
            cvt.u64.u32 %d8, %r3;
            cvt.u64.u32 %d9, %r4;
          NEXT:
            setp.ge.u64 %p2, %d8, %d4;
            @%p2 bra DONE;
            add.u64 %d10, %d3, %d8;
            ld.global.u8 %r5, [%d10];
            add.u64 %d11, %d5, %d8;
            st.global.u8 [%d11], %r5;
            add.u64 %d8, %d8, %d9;
            bra NEXT;
          DONE:
            ret;
          }
          """;

  /** Writes where nothing is. */
  static final String FAULT =
      HEADER
          + """
          .visible .entry fault(.param .u64 p_out, .param .u64 p_count)
          {
            .reg .b32 %r<2>;
            .reg .b64 %d<2>;
            mov.u64 %d1, 64;
            mov.u32 %r1, 1;
            st.global.u32 [%d1], %r1;
            ret;
          }
          """;
}

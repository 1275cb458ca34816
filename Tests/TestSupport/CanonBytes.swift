/// What real Canons have sent.
public enum CanonBytes {
    /// One answer of an R6: a RAW and its JPEG, and the terminator.
    public static let r6 = hex(
        """
        40 00 00 00  A7 C1 00 00  01 1B 91 51  01 00 01 00  08 B1 00 00  00 00 00 00  20 00 00 00
        92 BA 7B 01 00 00 00 00  00 00 90 51  00 1B 91 51
        32 52 37 41 34 35 32 38 2E 43 52 33 00 00 00 00  2C E8 7B 69
        40 00 00 00  A7 C1 00 00  02 1B 91 51  01 00 01 00  01 38 00 00  00 00 00 00  20 00 00 00
        BC FD 10 00 00 00 00 00  00 00 90 51  00 1B 91 51
        32 52 37 41 34 35 32 38 2E 4A 50 47 00 00 00 00  2C E8 7B 69
        08 00 00 00  00 00 00 00
        """)

    /// An answer without news.
    public static let idle = hex("08 00 00 00 00 00 00 00")
}

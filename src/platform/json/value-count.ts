const [newline, carriageReturn, quote, comma, colon, bracket, backslash, brace] = Buffer.from('\n\r",:[\\{');
/** First bytes of `data`, `event`, `id`, `retry`: no line of JSON starts with a field of an event stream. */
const fields = new Set(Buffer.from('deir'));

/** Limit of keys and values in one response or event. */
export const mostValues = 250_000;

/**
 * Counts the keys and values of foreign JSON while its bytes arrive, because parsing millions of tiny values would take
 * a second and hundreds of megabytes. Each event of a stream is counted separately.
 */
export class ValueCount {
  private count = 0;
  private isQuoted = false;
  private isEscaped = false;
  private lastByte = newline;
  /** First byte of the last non-empty line. */
  private firstByte = 0;

  constructor(private readonly most = mostValues) {}

  /** Returns false if the limit is exceeded. */
  admits(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      if (byte === newline || byte === carriageReturn) this.endLine(byte);
      else this.add(byte);
      if (this.count > this.most) return false;
      this.lastByte = byte;
    }
    return true;
  }

  /** JSON strings cannot span lines. An empty line ends an event. */
  private endLine(byte: number): void {
    this.isQuoted = this.isEscaped = false;
    const isEmpty = this.isLineStart && !(byte === newline && this.lastByte === carriageReturn);
    if (isEmpty && fields.has(this.firstByte)) this.count = 0;
  }

  private add(byte: number): void {
    if (this.isLineStart) this.firstByte = byte;
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === quote) this.isQuoted = !this.isQuoted;
    else if (this.isQuoted) this.isEscaped = byte === backslash;
    else if (byte === comma || byte === colon || byte === bracket || byte === brace) this.count++;
  }

  private get isLineStart(): boolean {
    return this.lastByte === newline || this.lastByte === carriageReturn;
  }
}

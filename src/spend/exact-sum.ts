const shape = /^([+-]?)(\d{1,30})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Expands the exponent of a JSON number: "1.5e-7" becomes "0.00000015". Null if it is not a number or too long. */
export function exactDecimal(written: string): string | null {
  const parts = shape.exec(written);
  if (!parts) return null;
  const [, sign, whole, fraction = '', exponent = '0'] = parts;
  const shift = Number(exponent);
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  const scale = fraction.length - shift;
  return scale > 0 ? unscaled(digits, scale) : String(digits * 10n ** BigInt(-scale));
}

/** Sums decimal numbers without rounding. */
export class ExactSum {
  private digits = 0n;
  private scale = 0;

  constructor(first = '0') {
    this.add(first);
  }

  add(decimal: string): this {
    const [whole, fraction = ''] = decimal.split('.');
    const digits = BigInt(whole + fraction);
    if (fraction.length > this.scale) {
      this.digits *= 10n ** BigInt(fraction.length - this.scale);
      this.scale = fraction.length;
    }
    this.digits += digits * 10n ** BigInt(this.scale - fraction.length);
    return this;
  }

  /** Without trailing zeros. */
  toString(): string {
    return unscaled(this.digits, this.scale);
  }
}

function unscaled(digits: bigint, scale: number): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

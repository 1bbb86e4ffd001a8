import { betweenMarks, hasMark } from './marks.js';
import { Redactor } from './redactor.js';

/**
 * Redacts texts that a device may have redacted before. A text with marks is done, except for secrets that the device
 * did not recognize. A text without marks is unchanged since it was in the file.
 */
export class FormRedactor extends Redactor {
  override text(text: string, place: string): string {
    return this.aroundMarks(text, place) ?? super.text(text, place);
  }

  override namedValue(name: string, value: string, place: string): string {
    return this.aroundMarks(value, place) ?? super.namedValue(name, value, place);
  }

  override url(url: string, place: string): string {
    return this.aroundMarks(url, place) ?? super.url(url, place);
  }

  protected override arg(arg: string, before: string, place: string): string {
    // an option whose name contained a secret has lost its name
    return this.aroundMarks(arg, place) ?? super.arg(arg, hasMark(before) ? '' : before, place);
  }

  private aroundMarks(text: string, place: string): string | null {
    const parts = text.split(betweenMarks);
    if (parts.length === 1) return null;
    return parts.map((part, index) => (index % 2 ? part : this.withoutKnownSecrets(part, place))).join('');
  }
}

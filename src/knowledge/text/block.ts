/** The location of a passage in its source: lines of a text file or pages of a PDF, counted from 1. */
export interface SourceLocation {
  unit: 'line' | 'page';
  from: number;
  to: number;
}

/** The smallest unit that should not be split. */
export interface Block {
  kind: 'text' | 'code' | 'table';
  text: string;
  /** the headings above it, outermost first, without the title of the document */
  headings: readonly string[];
  place: SourceLocation;
}

export interface ExtractedText {
  title: string | null;
  blocks: Block[];
}

/** Limited, because headings are stored with every passage below them. */
const maxHeadingLength = 500;

/** The headings above the current line, while a text is read from top to bottom. */
export class HeadingPath {
  private entries: { level: number; text: string }[] = [];

  enter(level: number, text: string): void {
    const cut = text.slice(0, maxHeadingLength).toWellFormed();
    this.entries = [...this.entries.filter((entry) => entry.level < level), { level, text: cut }];
  }

  get path(): string[] {
    return this.entries.map((entry) => entry.text);
  }
}

export const locationLabel = ({ unit, from, to }: SourceLocation): string =>
  from === to ? `${unit} ${from}` : `${unit}s ${from}–${to}`;

/** A path prefix as in robots.txt: `*` stands for any text, `$` at the end for the end of the path. */
export class PathPattern {
  private readonly parts: readonly string[];
  private readonly isAnchored: boolean;

  constructor(text: string) {
    this.isAnchored = text.endsWith('$');
    this.parts = (this.isAnchored ? text.slice(0, -1) : text).split('*');
  }

  matches(path: string): boolean {
    const [first, ...others] = this.parts;
    if (!path.startsWith(first)) return false;
    const last = this.isAnchored ? others.pop() : undefined;
    let at = first.length;
    for (const part of others) {
      const found = path.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    if (!this.isAnchored) return true;
    return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
  }
}

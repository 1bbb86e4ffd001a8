interface Remembered {
  tag: string;
  body: string;
}

const most = 2 ** 23;
const mostOfOne = 2 ** 20;

/** Answers that the vendor marks with a tag, the last ones asked for: asking with the tag costs nothing while nothing is new. */
export class RememberedAnswers {
  private readonly answers = new Map<string, Remembered>();
  private size = 0;

  find(place: string): Remembered | null {
    return this.answers.get(place) ?? null;
  }

  keep(place: string, tag: string | null, body: string): void {
    this.drop(place);
    if (!tag || tag.length > 200 || body.length > mostOfOne) return;
    this.answers.set(place, { tag, body });
    this.size += body.length;
    for (const oldest of this.answers.keys()) {
      if (this.size <= most) return;
      this.drop(oldest);
    }
  }

  private drop(place: string): void {
    this.size -= this.answers.get(place)?.body.length ?? 0;
    this.answers.delete(place);
  }
}

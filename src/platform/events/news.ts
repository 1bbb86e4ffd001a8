interface Place {
  hasNews: boolean;
  tell(): void;
}

/**
 * Who waits for something to change that has an id. News only say that it is worth looking: a wake-up may be lost, so the
 * tables are looked at again each second as well.
 */
export class News {
  private readonly places = new Map<string, Set<Place>>();

  heard(ids: string[] | 'all'): void {
    for (const id of ids === 'all' ? this.places.keys() : ids)
      for (const place of this.places.get(id) ?? []) place.tell();
  }

  /** Looks, and looks again at any news, until there is something to be seen. */
  async until<T>(id: string, signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T> {
    const place: Place = { hasNews: false, tell: () => (place.hasNews = true) };
    this.places.set(id, (this.places.get(id) ?? new Set()).add(place));
    try {
      for (;;) {
        signal.throwIfAborted();
        place.hasNews = false;
        const seen = await look();
        if (seen !== undefined) return seen;
        await told(place, signal);
      }
    } finally {
      this.leave(id, place);
    }
  }

  private leave(id: string, place: Place): void {
    const others = this.places.get(id);
    others?.delete(place);
    if (!others?.size) this.places.delete(id);
  }
}

function told(place: Place, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      place.hasNews = true;
      resolve();
    };
    place.tell = done;
    signal.addEventListener('abort', done, { once: true });
    // what was told, or called off, while the look was under way
    if (place.hasNews || signal.aborted) done();
  });
}

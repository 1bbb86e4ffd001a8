const chunkLength = 1024;

/** Rounds per day in which an actor may call a model, and one more for late events. */
export const regularRounds = 8;
export const rounds = regularRounds + 1;

/**
 * Counts the events per chunk of actors in each round of a day. With it, a page in the middle of a million events is
 * found without generating those before it.
 */
export class EventIndex {
  readonly total: number;
  private readonly counts: Uint32Array[];
  private readonly actors: number;
  private readonly roundsOf: (actor: number) => number;

  /** `roundsOf` returns the rounds in which an actor has an event, as bits. */
  constructor(actors: number, roundsOf: (actor: number) => number) {
    this.actors = actors;
    this.roundsOf = roundsOf;
    this.counts = Array.from({ length: rounds }, () => new Uint32Array(Math.ceil(actors / chunkLength)));
    let total = 0;
    for (let actor = 0; actor < actors; actor++) {
      const bits = roundsOf(actor);
      for (let round = 0; round < rounds; round++) {
        if (!(bits & (1 << round))) continue;
        this.counts[round][Math.floor(actor / chunkLength)]++;
        total++;
      }
    }
    this.total = total;
  }

  /** Positions of events, newest first, after the first `skip`. */
  *newestFirst(skip: number): Generator<{ round: number; actor: number }> {
    let left = skip;
    for (let round = rounds - 1; round >= 0; round--) {
      for (let chunk = this.counts[round].length - 1; chunk >= 0; chunk--) {
        const inside = this.counts[round][chunk];
        if (left >= inside) {
          left -= inside;
          continue;
        }
        const end = Math.min(this.actors, (chunk + 1) * chunkLength);
        for (let actor = end - 1; actor >= chunk * chunkLength; actor--) {
          if (!(this.roundsOf(actor) & (1 << round))) continue;
          if (left > 0) left--;
          else yield { round, actor };
        }
      }
    }
  }
}

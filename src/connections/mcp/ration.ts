/** Of what comes without being asked for, as much as somebody can follow: so many at once, and so many a second. */
export class Ration {
  private left: number;
  private since = performance.now();

  constructor(
    private readonly atOnce: number,
    private readonly perSecond: number,
  ) {
    this.left = atOnce;
  }

  takes(): boolean {
    const now = performance.now();
    this.left = Math.min(this.atOnce, this.left + ((now - this.since) / 1000) * this.perSecond);
    this.since = now;
    if (this.left < 1) return false;
    this.left--;
    return true;
  }
}

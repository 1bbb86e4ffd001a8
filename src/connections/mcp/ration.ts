const atOnce = 100;
const perSecond = 20;

/** Of news that may be missed, what somebody can follow: a hundred at once, twenty a second. */
export class Ration {
  private left = atOnce;
  private since = performance.now();

  takes(): boolean {
    const now = performance.now();
    this.left = Math.min(atOnce, this.left + ((now - this.since) / 1000) * perSecond);
    this.since = now;
    if (this.left < 1) return false;
    this.left--;
    return true;
  }
}

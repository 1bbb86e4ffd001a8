import { followSignals } from './clock.ts';

/** Countersign as it is, with a clock that the demo can put back. */
followSignals();
await import(new URL('../../dist/main.js', import.meta.url).href);

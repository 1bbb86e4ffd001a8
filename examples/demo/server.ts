import { followSignals } from './clock.ts';

/** The unmodified server, with a clock that the demo can set back. */
followSignals();
await import(new URL('../../dist/main.js', import.meta.url).href);

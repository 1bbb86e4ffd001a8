import { NotSent } from '../connections.error.js';
import type { Conversation } from '../conversation.js';
import { clean, cleanJson } from './clean.js';
import type { Patience } from './patience.js';
import { Ration } from './ration.js';
import { cut } from '../../platform/text/cut.js';

const mostAtOnce = 20;
const longestMessage = 2000;
const longestEntry = 64 * 1024;
/** What a person who looks on can read. */
const readable = [100, 20] as const;

/** The caller, as a server reaches them: nothing that others could not take, no flood; and what they think about costs no time. */
export function listener(caller: Conversation, patience: Patience): Conversation {
  let asking = 0;
  const progress = new Ration(...readable);
  const log = new Ration(...readable);
  return {
    capabilities: caller.capabilities,
    async ask(requests, signal) {
      if (asking >= mostAtOnce) throw new NotSent(`The server asks more than ${mostAtOnce} things at once.`);
      asking++;
      return patience.suspend(() => caller.ask(requests, signal)).finally(() => asking--);
    },
    progress({ progress: done, total, message }) {
      if (!progress.takes()) return;
      caller.progress({
        progress: done,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message: cut(clean(message), longestMessage) }),
      });
    },
    log({ level, logger, data }) {
      if (!log.takes() || (JSON.stringify(data) ?? '').length > longestEntry) return;
      caller.log({
        level,
        ...(logger !== undefined && { logger: cut(clean(logger), longestMessage) }),
        data: cleanJson(data),
      });
    },
  };
}

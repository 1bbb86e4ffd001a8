import type { Conversation } from '../conversation.js';
import { clean, cleanJson } from './clean.js';
import type { Patience } from './patience.js';
import { Ration } from './ration.js';

const longestMessage = 2000;
const longestEntry = 64 * 1024;

/** The caller, as a server reaches them: nothing that others could not take, no flood; and what they think about costs no time. */
export function listener(caller: Conversation, patience: Patience): Conversation {
  const progress = new Ration();
  const log = new Ration();
  return {
    capabilities: caller.capabilities,
    ask: (requests, signal) => patience.suspend(() => caller.ask(requests, signal)),
    progress({ progress: done, total, message }) {
      if (!progress.takes()) return;
      caller.progress({
        progress: done,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message: clean(message).slice(0, longestMessage) }),
      });
    },
    log({ level, logger, data }) {
      if (!log.takes() || (JSON.stringify(data) ?? '').length > longestEntry) return;
      caller.log({
        level,
        ...(logger !== undefined && { logger: clean(logger).slice(0, longestMessage) }),
        data: cleanJson(data),
      });
    },
  };
}

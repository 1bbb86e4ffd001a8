import { NotSent } from '../connections/connections.error.js';
import type { Conversation } from '../connections/conversation.port.js';
import { cleanText, cleanJson } from './clean.js';
import type { PausableTimeout } from './pausable-timeout.js';
import { TokenBucket } from './token-bucket.js';
import { truncate } from '../platform/text/truncate.js';

const maxOpenQuestions = 20;
const maxNotificationTextLength = 2000;
const maxLogEntryLength = 64 * 1024;
/** A rate that a person can follow. */
const notificationRate = [100, 20] as const;

/**
 * The conversation with the caller, with limits on size and rate; waiting for the caller's answer pauses the timeout.
 */
export function limitConversation(caller: Conversation, timeout: PausableTimeout): Conversation {
  let asking = 0;
  const progress = new TokenBucket(...notificationRate);
  const log = new TokenBucket(...notificationRate);
  return {
    capabilities: caller.capabilities,
    async ask(requests, signal) {
      if (asking >= maxOpenQuestions)
        throw new NotSent(`The server asks more than ${maxOpenQuestions} questions at once.`);
      asking++;
      return timeout.pauseWhile(() => caller.ask(requests, signal)).finally(() => asking--);
    },
    progress({ progress: done, total, message }) {
      if (!progress.tryTake()) return;
      caller.progress({
        progress: done,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message: truncate(cleanText(message), maxNotificationTextLength) }),
      });
    },
    log({ level, logger, data }) {
      if (!log.tryTake() || (JSON.stringify(data) ?? '').length > maxLogEntryLength) return;
      caller.log({
        level,
        ...(logger !== undefined && { logger: truncate(cleanText(logger), maxNotificationTextLength) }),
        data: cleanJson(data),
      });
    },
  };
}

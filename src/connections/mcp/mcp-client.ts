import { Client, ProtocolError, ProtocolErrorCode, type JSONRPCResponse } from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import { messageOf } from '../deadline.js';
import { journeys } from './journey.js';
import { capabilitiesOf, type Profile } from './profile.js';
import { toQuestion } from './questions.js';

/** Tells a journey that it has its answer; answers that nobody waits for say nothing to anybody. */
class JourneyingClient extends Client {
  protected override _onresponse(response: JSONRPCResponse): void {
    journeys.getStore()?.hears(response.id);
    super._onresponse(response);
  }
}

/** A client for callers of one profile. `isPiped`: its line carries one message after the other, and says of none where it belongs. */
export function newClient(profile: Profile, isPiped: boolean): Client {
  const client = new JourneyingClient(
    { name: 'countersign', version: '0.1.0' },
    {
      // old servers leave unknown requests on a pipe unanswered; asking for the version there costs a whole time-out
      versionNegotiation: { mode: isPiped ? 'legacy' : 'auto' },
      capabilities: capabilitiesOf(profile),
      inputRequired: { autoFulfill: false },
      listMaxPages: 20,
    },
  );
  const answer = (request: object, { mcpReq: { signal } }: { mcpReq: { signal: AbortSignal } }) =>
    answerOf(request, profile, signal) as Promise<never>;
  if (profile.has('form') || profile.has('url')) client.setRequestHandler('elicitation/create', answer);
  if (profile.has('sampling')) client.setRequestHandler('sampling/createMessage', answer);
  if (profile.has('roots')) client.setRequestHandler('roots/list', answer);
  client.fallbackRequestHandler = ({ method }) => {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Nobody can be asked here: ${method} was not offered.`);
  };
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    journeys.getStore()?.conversation?.log({ level, logger, data: data as JsonValue });
  });
  return client;
}

/** What servers of 2025 ask while they work on a call. */
async function answerOf(request: object, profile: Profile, signal: AbortSignal): Promise<JsonObject> {
  const conversation = journeys.getStore()?.conversation;
  if (!conversation) throw refused('This belongs to no call that is under way, so there is nobody to ask.');
  try {
    const { question } = await conversation.ask({ question: toQuestion(request, profile) }, signal);
    return question;
  } catch (error) {
    throw refused(messageOf(error));
  }
}

const refused = (words: string) => new ProtocolError(ProtocolErrorCode.InvalidRequest, words);

import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  type ClientContext,
  type JsonSchemaValidatorResult,
  type jsonSchemaValidator,
  type JSONRPCNotification,
  type JSONRPCResponse,
  type MessageExtraInfo,
} from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import type { ChangedList } from '../catalogue-change.js';
import { messageOf } from '../deadline.js';
import { journeys, mostNews, type Journey } from './journey.js';
import { Listening } from './listening.js';
import { capabilitiesOf, type Profile } from './profile.js';
import { toQuestion } from './questions.js';
import { Ration } from './ration.js';
import { UnderWay } from './under-way.js';

/**
 * A client for callers of one profile. `isPiped`: its line carries one message after the other, and says of none where it belongs.
 */
export class McpClient extends Client {
  readonly listening: Listening;
  readonly underWay = new UnderWay();
  private readonly news = new Ration(...mostNews);

  constructor(profile: Profile, isPiped: boolean, tell: (list: ChangedList) => void) {
    super(
      { name: 'countersign', version: '0.1.0' },
      {
        // old servers leave unknown requests on a pipe unanswered; asking for the version there costs a whole time-out
        versionNegotiation: { mode: isPiped ? 'legacy' : 'auto' },
        capabilities: capabilitiesOf(profile),
        inputRequired: { autoFulfill: false },
        // schemas of servers are compiled in isolation only: see platform/json-schema
        jsonSchemaValidator: unchecked,
        listMaxPages: 20,
      },
    );
    this.listening = new Listening(this, tell);
    this.answerFor(profile);
    this.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
      journeys.getStore()?.conversation?.log({ level, logger, data: data as JsonValue });
    });
  }

  private answerFor(profile: Profile): void {
    const answer = (request: object, { mcpReq }: ClientContext) => {
      this.hearNews();
      const journey = journeys.getStore() ?? this.underWay.only();
      return answerOf(request, profile, mcpReq.signal, journey) as Promise<never>;
    };
    if (profile.has('form') || profile.has('url')) this.setRequestHandler('elicitation/create', answer);
    if (profile.has('sampling')) this.setRequestHandler('sampling/createMessage', answer);
    if (profile.has('roots')) this.setRequestHandler('roots/list', answer);
    this.fallbackRequestHandler = ({ method }) => {
      this.hearNews();
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Nobody can be asked here: ${method} was not offered.`);
    };
  }

  protected override _onnotification(notification: JSONRPCNotification, extra?: MessageExtraInfo): void {
    this.hearNews();
    super._onnotification(notification, extra);
  }

  /** Its journey hears that it has its answer; an answer that nobody waits for says nothing to anybody. */
  protected override _onresponse(response: JSONRPCResponse): void {
    if (!journeys.getStore()?.hears(response.id)) this.hearNews();
    super._onresponse(response);
  }

  /** On a line of its own nobody waits for an answer: the whole client is left. */
  private hearNews(): void {
    const journey = journeys.getStore();
    if (journey) journey.hearsNews();
    else if (!this.news.takes()) this.close().catch((error: Error) => this.onerror?.(error));
  }
}

const unchecked: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (data: unknown) =>
      ({ valid: true, data: data as T, errorMessage: undefined }) as JsonSchemaValidatorResult<T>,
};

/** What servers of 2025 ask while they work on a call. */
async function answerOf(
  request: object,
  profile: Profile,
  signal: AbortSignal,
  journey: Journey | undefined,
): Promise<JsonObject> {
  const conversation = journey?.conversation;
  if (!conversation) throw refused('This belongs to no call that is under way, so there is nobody to ask.');
  try {
    const { question } = await conversation.ask({ question: toQuestion(request, profile) }, signal);
    return question;
  } catch (error) {
    throw refused(messageOf(error));
  }
}

const refused = (words: string) => new ProtocolError(ProtocolErrorCode.InvalidRequest, words);

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
import { failureMessageOf } from '../deadline.js';
import { upstreamCalls, notificationLimits, type UpstreamCall } from './upstream-call.js';
import { UpstreamChangeListener } from './upstream-change-listener.js';
import { capabilitiesOf, type CapabilityProfile } from './capability-profile.js';
import { toInputRequest } from './input-requests.js';
import { TokenBucket } from './token-bucket.js';
import { CallsInProgress } from './calls-in-progress.js';

/**
 * A client for callers of one profile. `isPiped`: its line carries one message after the other, and says of none where it belongs.
 */
export class McpClient extends Client {
  readonly changeListener: UpstreamChangeListener;
  readonly callsInProgress = new CallsInProgress();
  private readonly notificationBucket = new TokenBucket(...notificationLimits);

  constructor(profile: CapabilityProfile, isPiped: boolean, tell: (list: ChangedList) => void) {
    super(
      { name: 'countersign', version: '0.1.0' },
      {
        // old servers leave unknown requests on a pipe unanswered; asking for the version there costs a whole time-out
        versionNegotiation: { mode: isPiped ? 'legacy' : 'auto' },
        capabilities: capabilitiesOf(profile),
        inputRequired: { autoFulfill: false },
        // schemas of servers are compiled in isolation only: see platform/json-schema
        jsonSchemaValidator: acceptAnySchema,
        listMaxPages: 20,
      },
    );
    this.changeListener = new UpstreamChangeListener(this, tell);
    this.registerRequestHandlers(profile);
    this.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
      upstreamCalls.getStore()?.conversation?.log({ level, logger, data: data as JsonValue });
    });
  }

  private registerRequestHandlers(profile: CapabilityProfile): void {
    const answer = (request: object, { mcpReq }: ClientContext) => {
      this.countNotification();
      const upstreamCall = upstreamCalls.getStore() ?? this.callsInProgress.onlyCall();
      return answerServerRequest(request, profile, mcpReq.signal, upstreamCall) as Promise<never>;
    };
    if (profile.has('form') || profile.has('url')) this.setRequestHandler('elicitation/create', answer);
    if (profile.has('sampling')) this.setRequestHandler('sampling/createMessage', answer);
    if (profile.has('roots')) this.setRequestHandler('roots/list', answer);
    this.fallbackRequestHandler = ({ method }) => {
      this.countNotification();
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Nobody can be asked here: ${method} was not offered.`);
    };
  }

  protected override _onnotification(notification: JSONRPCNotification, extra?: MessageExtraInfo): void {
    this.countNotification();
    super._onnotification(notification, extra);
  }

  /** Its journey hears that it has its answer; an answer that nobody waits for says nothing to anybody. */
  protected override _onresponse(response: JSONRPCResponse): void {
    if (!upstreamCalls.getStore()?.acceptResponse(response.id)) this.countNotification();
    super._onresponse(response);
  }

  /** On a line of its own nobody waits for an answer: the whole client is left. */
  private countNotification(): void {
    const upstreamCall = upstreamCalls.getStore();
    if (upstreamCall) upstreamCall.countNotification();
    else if (!this.notificationBucket.tryTake()) this.close().catch((error: Error) => this.onerror?.(error));
  }
}

const acceptAnySchema: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (data: unknown) =>
      ({ valid: true, data: data as T, errorMessage: undefined }) as JsonSchemaValidatorResult<T>,
};

/** What servers of 2025 ask while they work on a call. */
async function answerServerRequest(
  request: object,
  profile: CapabilityProfile,
  signal: AbortSignal,
  upstreamCall: UpstreamCall | undefined,
): Promise<JsonObject> {
  const conversation = upstreamCall?.conversation;
  if (!conversation) throw invalidRequestError('This belongs to no call that is under way, so there is nobody to ask.');
  try {
    const { question } = await conversation.ask({ question: toInputRequest(request, profile) }, signal);
    return question;
  } catch (error) {
    throw invalidRequestError(failureMessageOf(error));
  }
}

const invalidRequestError = (words: string) => new ProtocolError(ProtocolErrorCode.InvalidRequest, words);

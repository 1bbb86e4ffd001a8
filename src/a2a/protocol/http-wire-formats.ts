import type { Request } from 'express';
import { elementTexts, memberText } from '../../platform/json/source-text.js';
import { type A2aError, toHttpErrorBody, toLegacyHttpErrorBody } from './errors.js';
import {
  fromLegacyHttpSend,
  legacyMessageField,
  toLegacyHttpResponse,
  toLegacyHttpTask,
  toLegacyHttpUpdate,
} from './legacy-http.js';
import type { CardForm } from './protocol-cards.service.js';
import type { A2aSendResponse, A2aStreamResponse, A2aTask } from './task-mapping.js';
import type { A2aVersion } from './version.js';

type Params = Record<string, unknown>;

/** How one version encodes requests and responses. */
export interface WireFormat {
  version: A2aVersion;
  card: CardForm;
  contentType(request: Request): string;
  read(body: Params, text: string): { params: unknown; dataTexts: (string | undefined)[] };
  answer(answer: A2aSendResponse): object;
  task(task: A2aTask): object;
  update(update: A2aStreamResponse, isLast: boolean): object;
  error(error: A2aError): object;
}
const a2aMediaType = 'application/a2a+json';
const jsonMediaType = 'application/json';
/** Uses the protocol's own media type only for callers that send or accept it by name. Others get plain JSON. */
const negotiateMediaType = (request: Request): string => {
  const accepts = request.accepts([a2aMediaType]) !== false;
  const namesType = Boolean(request.is(a2aMediaType)) || Boolean(request.get('accept')?.includes(a2aMediaType));
  return accepts && namesType ? a2aMediaType : jsonMediaType;
};

export const v1Format: WireFormat = {
  version: '1.0',
  card: '1.0',
  contentType: negotiateMediaType,
  read: (body, text) => ({
    params: body,
    dataTexts: messagePartTexts(text, 'message', 'parts').map((part) => memberText(part, 'data')),
  }),
  answer: (answer) => answer,
  task: (task) => task,
  update: (update) => update,
  error: toHttpErrorBody,
};
export const v03Format: WireFormat = {
  version: '0.3',
  card: '0.3 HTTP+JSON',
  contentType: () => jsonMediaType,
  read: (body, text) => ({
    params: fromLegacyHttpSend(body),
    dataTexts: messagePartTexts(text, legacyMessageField(body), 'content').map((part) =>
      memberText(memberText(part, 'data') ?? '', 'data'),
    ),
  }),
  answer: toLegacyHttpResponse,
  task: toLegacyHttpTask,
  update: toLegacyHttpUpdate,
  error: toLegacyHttpErrorBody,
};

const messagePartTexts = (text: string, message: string, parts: string) =>
  elementTexts(memberText(memberText(text, message) ?? '', parts) ?? '');

import type { Fault } from '../../platform/errors/problem.js';
import { Problem } from '../../platform/errors/problem.js';

/* The protocol's errors with their codes on every binding, by section 5.4 of version 1.0.1. */

interface ErrorKind {
  /** JSON-RPC */
  code: number;
  reason: string;
  http: number;
  /** google.rpc.Code, by its name */
  status: string;
}

export const errorKinds = {
  taskNotFound: { code: -32001, reason: 'TASK_NOT_FOUND', http: 404, status: 'NOT_FOUND' },
  taskNotCancelable: { code: -32002, reason: 'TASK_NOT_CANCELABLE', http: 400, status: 'FAILED_PRECONDITION' },
  pushNotSupported: {
    code: -32003,
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
    http: 400,
    status: 'FAILED_PRECONDITION',
  },
  unsupportedOperation: { code: -32004, reason: 'UNSUPPORTED_OPERATION', http: 400, status: 'FAILED_PRECONDITION' },
  contentTypeNotSupported: {
    code: -32005,
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    http: 400,
    status: 'INVALID_ARGUMENT',
  },
  /** Of the request itself, and not of a part of its message. */
  requestTypeNotSupported: {
    code: -32005,
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    http: 415,
    status: 'INVALID_ARGUMENT',
  },
  extensionRequired: {
    code: -32008,
    reason: 'EXTENSION_SUPPORT_REQUIRED',
    http: 400,
    status: 'FAILED_PRECONDITION',
  },
  versionNotSupported: { code: -32009, reason: 'VERSION_NOT_SUPPORTED', http: 400, status: 'FAILED_PRECONDITION' },
  parseError: { code: -32700, reason: 'PARSE_ERROR', http: 400, status: 'INVALID_ARGUMENT' },
  invalidRequest: { code: -32600, reason: 'INVALID_REQUEST', http: 400, status: 'INVALID_ARGUMENT' },
  methodNotFound: { code: -32601, reason: 'METHOD_NOT_FOUND', http: 404, status: 'UNIMPLEMENTED' },
  invalidParams: { code: -32602, reason: 'INVALID_PARAMS', http: 400, status: 'INVALID_ARGUMENT' },
  internal: { code: -32603, reason: 'INTERNAL', http: 500, status: 'INTERNAL' },
} as const satisfies Record<string, ErrorKind>;

export class OpenError extends Error {
  readonly kind: ErrorKind;

  constructor(
    kind: keyof typeof errorKinds,
    message: string,
    readonly faults: readonly Fault[] = [],
  ) {
    super(message);
    this.kind = errorKinds[kind];
  }
}

export const noPush = () =>
  new OpenError('pushNotSupported', 'Push notifications are not supported here; subscribe to the task instead.');

const kindOfProblem: Record<string, keyof typeof errorKinds> = {
  'task-not-found': 'taskNotFound',
  'task-not-cancelable': 'taskNotCancelable',
  'task-exists': 'unsupportedOperation',
  'invalid-request': 'invalidParams',
  'too-large': 'invalidParams',
  'unsupported-media-type': 'contentTypeNotSupported',
  'configuration-not-found': 'invalidParams',
};

/** Null: nothing the protocol has a word for. What is refused before the protocol (401, 429, 503) keeps its own. */
export function openErrorOf(error: unknown): OpenError | null {
  if (error instanceof OpenError) return error;
  const kind = error instanceof Problem ? kindOfProblem[error.code] : undefined;
  return kind ? new OpenError(kind, (error as Problem).message, (error as Problem).errors) : null;
}

/** What a machine reads of an error: google.rpc.ErrorInfo, and where something was wrong. */
export const detailsOf = ({ kind, faults }: OpenError): object[] => [
  {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: kind.reason,
    domain: 'a2a-protocol.org',
    metadata: {},
  },
  ...(faults.length
    ? [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: faults.map(({ pointer, detail }) => ({ field: pointer, description: detail })),
        },
      ]
    : []),
];

export const jsonRpcErrorOf = (error: OpenError) => ({
  code: error.kind.code,
  message: error.message,
  data: detailsOf(error),
});

export const httpErrorOf = (error: OpenError) => ({
  error: {
    code: error.kind.http,
    status: error.kind.status,
    message: error.message,
    details: detailsOf(error),
  },
});

/** Of version 0.3, which knew no details. */
export const legacyHttpErrorOf = ({ kind, message }: OpenError) => ({ code: kind.code, message });

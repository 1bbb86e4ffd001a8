import type { InvalidField } from '../../platform/errors/problem.js';
import { Problem } from '../../platform/errors/problem.js';

/* The errors of the protocol with their codes in every binding (A2A 1.0.1, section 5.4). */

interface A2aErrorType {
  /** JSON-RPC */
  code: number;
  reason: string;
  http: number;
  /** Name in google.rpc.Code */
  status: string;
}

export const a2aErrorTypes = {
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
  /** The media type of the request itself, not of a message part. */
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
} as const satisfies Record<string, A2aErrorType>;

export class A2aError extends Error {
  readonly kind: A2aErrorType;

  constructor(
    kind: keyof typeof a2aErrorTypes,
    message: string,
    readonly faults: readonly InvalidField[] = [],
  ) {
    super(message);
    this.kind = a2aErrorTypes[kind];
  }
}

export const pushNotificationsUnsupported = () =>
  new A2aError('pushNotSupported', 'Push notifications are not supported. Subscribe to the task instead.');

const errorTypeByProblemCode: Record<string, keyof typeof a2aErrorTypes> = {
  'task-not-found': 'taskNotFound',
  'task-not-cancelable': 'taskNotCancelable',
  'task-exists': 'unsupportedOperation',
  'invalid-request': 'invalidParams',
  'too-large': 'invalidParams',
  'unsupported-media-type': 'contentTypeNotSupported',
  'configuration-not-found': 'invalidParams',
};

/** Null: the protocol has no error for it. HTTP-level problems (401, 429, 503) stay problems. */
export function toA2aError(error: unknown): A2aError | null {
  if (error instanceof A2aError) return error;
  const kind = error instanceof Problem ? errorTypeByProblemCode[error.code] : undefined;
  return kind ? new A2aError(kind, (error as Problem).message, (error as Problem).errors) : null;
}

/** Machine-readable details: google.rpc.ErrorInfo, and the violations of each field. */
export const a2aErrorDetails = ({ kind, faults }: A2aError): object[] => [
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

export const toJsonRpcError = (error: A2aError) => ({
  code: error.kind.code,
  message: error.message,
  data: a2aErrorDetails(error),
});

export const toHttpErrorBody = (error: A2aError) => ({
  error: {
    code: error.kind.http,
    status: error.kind.status,
    message: error.message,
    details: a2aErrorDetails(error),
  },
});

/** Version 0.3 has no error details. */
export const toLegacyHttpErrorBody = ({ kind, message }: A2aError) => ({ code: kind.code, message });

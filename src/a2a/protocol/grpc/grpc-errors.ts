import { encodeGrpcStatusDetails, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Problem } from '../../../platform/errors/problem.js';
import { A2aError, toA2aError } from '../errors.js';

/** For problems that have no error in the protocol. */
const grpcStatusByHttpStatus: Record<number, status> = {
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  404: status.NOT_FOUND,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
};

/** Null: an internal error. Log it and do not reveal it to the caller. */
export function toGrpcError(error: unknown): Partial<ServiceError> | null {
  if (error instanceof Problem && error.code === 'configuration-not-found')
    return withoutDetails(status.NOT_FOUND, error);
  const known = toA2aError(error);
  if (known) return withDetails(known);
  const code = error instanceof Problem ? grpcStatusByHttpStatus[error.status] : undefined;
  return code === undefined ? null : withoutDetails(code, error as Problem);
}

export const grpcInternalError = (): Partial<ServiceError> =>
  withDetails(new A2aError('internal', 'Internal error. The server log has the details.'));

function withDetails({ kind, message }: A2aError): Partial<ServiceError> {
  const code = status[kind.status as keyof typeof status];
  const metadata = new Metadata();
  metadata.set(GRPC_STATUS_DETAILS_BIN, encodeGrpcStatusDetails(code, message, kind.reason));
  return { code, details: message, metadata };
}

function withoutDetails(code: status, { message: details, headers }: Problem): Partial<ServiceError> {
  const metadata = new Metadata();
  const name = 'Retry-After';
  if (headers?.[name]) metadata.set(name, headers[name]);
  return { code, details, metadata };
}

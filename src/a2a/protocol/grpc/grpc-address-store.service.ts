import { Injectable } from '@nestjs/common';

/** Where callers reach the agents over gRPC, as `host:port`; undefined: nowhere. */
@Injectable()
export class GrpcAddressStore {
  address?: string;
}

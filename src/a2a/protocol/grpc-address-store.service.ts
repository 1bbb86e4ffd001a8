import { Injectable } from '@nestjs/common';

/** The public gRPC address as `host:port`. Undefined: gRPC is off. */
@Injectable()
export class GrpcAddressStore {
  address?: string;
}

import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, type ClientReadableStream, credentials, Metadata } from '@grpc/grpc-js';

/** The gRPC address of a server, and the metadata of every call. */
export interface GrpcPlace {
  address: string;
  metadata: Record<string, string>;
}

interface Rpc<In, Out> {
  path: string;
  requestSerialize(value: In): Buffer;
  responseDeserialize(bytes: Buffer): Out;
}

/** A separate connection. For both servers, the official SDK encodes and decodes the messages. */
export class GrpcCaller {
  private readonly client: Client;
  private readonly metadata = new Metadata();

  constructor({ address, metadata }: GrpcPlace) {
    this.client = new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
    for (const [name, value] of Object.entries(metadata)) this.metadata.set(name, value);
  }

  ask<In, Out>({ path, requestSerialize, responseDeserialize }: Rpc<In, Out>, request: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        this.metadata,
        (error, answer) => (error ? reject(error) : resolve(answer!)),
      );
    });
  }

  follow<In, Out>(
    { path, requestSerialize, responseDeserialize }: Rpc<In, Out>,
    request: In,
  ): ClientReadableStream<Out> {
    return this.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, this.metadata);
  }

  close(): void {
    this.client.close();
  }
}

export const rpcs = A2AService;

import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { McpSession } from '../../mcp-sessions/mcp-sessions.service.js';
import { Config } from '../../platform/config/config.js';
import { Wakes } from '../../platform/events/wakes.service.js';
import { type EventStream, openStream } from '../../platform/http/sse.js';
import { Metrics } from '../../platform/telemetry/metrics.service.js';
import { type Place, placeText } from './place.js';

const topic = 'mcp.resumed';
/** Clients of earlier versions cannot read an event without a message (SEP-1699). */
const firstWithEmptyEvents = '2025-11-25';

/** Open streams of sessions on this process. A stream has one reader: who comes back to it, takes it over. */
@Injectable()
export class SessionStreams implements OnModuleInit {
  private readonly readers = new Map<string, EventStream>();

  constructor(
    private readonly wakes: Wakes,
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.wakes.on(topic, (ids) => {
      if (ids !== 'all') for (const id of ids) this.readers.get(id)?.close();
    });
  }

  /** Its first event says where to go on from, before there is anything to be told. */
  open({ protocolVersion }: McpSession, place: Place, request: Request, response: Response): EventStream {
    const reader = openStream(request, response, this.config.stream);
    this.readers.set(place.id, reader);
    this.metrics.streams.inc();
    reader.onClose(() => {
      if (this.readers.get(place.id) === reader) this.readers.delete(place.id);
      this.metrics.streams.dec();
    });
    if (response.closed) reader.close(); // its reader did not wait for the first byte
    if (protocolVersion >= firstWithEmptyEvents)
      reader.send({ id: placeText(place), retry: this.config.mcpReconnectMs, data: '' });
    return reader;
  }

  /** Whoever read it until now, on any process, reads it no more. */
  takeOver(id: string): void {
    this.wakes.send(topic, id);
  }
}

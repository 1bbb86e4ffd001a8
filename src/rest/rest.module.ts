import { Module } from '@nestjs/common';
import { GateModule } from '../gate/gate.module.js';
import { ApiCallsService } from './api-calls.service.js';

/** The operations of a member that products and terminals share. Each surface serves the controllers for its own tokens. */
@Module({ imports: [GateModule], providers: [ApiCallsService], exports: [ApiCallsService] })
export class RestModule {}

import { Global, Module } from '@nestjs/common';
import { Log } from './log.service.js';
import { Metrics } from './metrics.service.js';

@Global()
@Module({ providers: [Log, Metrics], exports: [Log, Metrics] })
export class TelemetryModule {}

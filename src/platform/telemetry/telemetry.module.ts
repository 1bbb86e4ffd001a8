import { Global, Module } from '@nestjs/common';
import { LogService } from './log.service.js';
import { MetricsService } from './metrics.service.js';

@Global()
@Module({ providers: [LogService, MetricsService], exports: [LogService, MetricsService] })
export class TelemetryModule {}

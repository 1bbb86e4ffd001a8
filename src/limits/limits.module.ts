import { Module } from '@nestjs/common';
import { KeyUsageService } from './key-usage.service.js';
import { OpenRequestLimiter } from './open-request-limiter.service.js';
import { RateLimitsService } from './rate-limits.service.js';
import { SharedRateLimitService } from './shared-rate-limit.service.js';

/** Limits of each credential, and of requests before there is one. */
@Module({
  providers: [KeyUsageService, RateLimitsService, OpenRequestLimiter, SharedRateLimitService],
  exports: [RateLimitsService, OpenRequestLimiter, SharedRateLimitService],
})
export class LimitsModule {}

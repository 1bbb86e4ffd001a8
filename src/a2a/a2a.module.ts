import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { A2aTasksController } from './a2a-tasks.controller.js';
import { CardController } from './card.controller.js';
import { CardService } from './card.service.js';
import { CardsResolver } from './cards.resolver.js';
import { InFlightLimiter } from './in-flight-limiter.service.js';
import { GrpcAddressStore } from './protocol/grpc-address-store.service.js';
import { GrpcServerService } from './protocol/grpc/grpc-server.service.js';
import { GrpcStreamsService } from './protocol/grpc/grpc-streams.service.js';
import { A2aHttpController, LegacyA2aHttpController } from './protocol/a2a-http.controller.js';
import { HttpBindingService } from './protocol/http-binding.service.js';
import { JsonRpcController } from './protocol/json-rpc.controller.js';
import { ProtocolCardController } from './protocol/protocol-card.controller.js';
import { ProtocolCardsService } from './protocol/protocol-cards.service.js';
import { ProtocolStreamsService } from './protocol/protocol-streams.service.js';
import { A2aOperationsService } from './protocol/a2a-operations.service.js';
import { RateLimitGuard } from '../limits/rate-limit.guard.js';
import { UpdateStreamsService } from './update-streams.service.js';

@Module({
  imports: [ConfigurationsModule, LimitsModule, TasksModule],
  controllers: [
    CardController,
    A2aTasksController,
    ProtocolCardController,
    JsonRpcController,
    A2aHttpController,
    LegacyA2aHttpController,
  ],
  providers: [
    CardService,
    CardsResolver,
    UpdateStreamsService,
    RateLimitGuard,
    InFlightLimiter,
    A2aOperationsService,
    ProtocolStreamsService,
    ProtocolCardsService,
    HttpBindingService,
    GrpcAddressStore,
    GrpcStreamsService,
    GrpcServerService,
  ],
})
export class A2aModule implements NestModule {
  constructor(private readonly inFlightLimiter: InFlightLimiter) {}

  configure(consumer: MiddlewareConsumer): void {
    // As a class, Nest would create a second instance that never sees the releases.
    consumer.apply(this.inFlightLimiter.acquire).forRoutes('agents/*path');
  }
}

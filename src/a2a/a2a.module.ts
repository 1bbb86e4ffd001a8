import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { A2aTasksController } from './a2a-tasks.controller.js';
import { CardController } from './card.controller.js';
import { CardService } from './card.service.js';
import { CardsResolver } from './cards.resolver.js';
import { InFlight } from './in-flight.service.js';
import { GrpcAddress } from './open/grpc/grpc-address.js';
import { GrpcDoors } from './open/grpc/grpc-doors.service.js';
import { GrpcStreams } from './open/grpc/grpc-streams.service.js';
import { HttpController } from './open/http.controller.js';
import { JsonRpcController } from './open/json-rpc.controller.js';
import { OpenCardController } from './open/open-card.controller.js';
import { OpenCards } from './open/open-cards.service.js';
import { OpenStreams } from './open/open-streams.service.js';
import { Operations } from './open/operations.service.js';
import { RateLimitGuard } from '../tasks/rate-limit.guard.js';
import { UpdateStreams } from './update-streams.service.js';

@Module({
  imports: [ConfigurationsModule, TasksModule],
  controllers: [CardController, A2aTasksController, OpenCardController, JsonRpcController, HttpController],
  providers: [
    CardService,
    CardsResolver,
    UpdateStreams,
    RateLimitGuard,
    InFlight,
    Operations,
    OpenStreams,
    OpenCards,
    GrpcAddress,
    GrpcStreams,
    GrpcDoors,
  ],
})
export class A2aModule implements NestModule {
  constructor(private readonly inFlight: InFlight) {}

  configure(consumer: MiddlewareConsumer): void {
    // as a class it would be made a second time, and hear of nobody who leaves
    consumer.apply(this.inFlight.enter).forRoutes('agents/*path');
  }
}

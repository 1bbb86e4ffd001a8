import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { A2aTasksController } from './a2a-tasks.controller.js';
import { CardController } from './card.controller.js';
import { CardService } from './card.service.js';
import { CardsResolver } from './cards.resolver.js';
import { InFlight } from './in-flight.service.js';
import { RateLimitGuard } from '../tasks/rate-limit.guard.js';
import { UpdateStreams } from './update-streams.service.js';

@Module({
  imports: [ConfigurationsModule, TasksModule],
  controllers: [CardController, A2aTasksController],
  providers: [CardService, CardsResolver, UpdateStreams, RateLimitGuard, InFlight],
})
export class A2aModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(InFlight).forRoutes('agents/*path');
  }
}

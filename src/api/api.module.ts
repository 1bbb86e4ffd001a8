import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { GateModule } from '../gate/gate.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { OauthModule } from '../oauth/oauth.module.js';
import { SpendModule } from '../spend/spend.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { CallsController } from './calls.controller.js';
import { ConfigurationsController } from './configurations.controller.js';
import { ApiCorsMiddleware, SERVED_OPERATIONS } from './api-cors.middleware.js';
import { KnowledgeController } from './knowledge.controller.js';
import { MeController } from './me.controller.js';
import { RestModule } from '../rest/rest.module.js';
import { ReferenceController } from './reference.controller.js';
import { servedOperations } from '../rest/routes.js';
import { TasksController } from './tasks.controller.js';
import { UsageController } from './usage.controller.js';

const controllers = [
  MeController,
  ConfigurationsController,
  KnowledgeController,
  TasksController,
  CallsController,
  UsageController,
];

/** The API for products that act for a member: `{base_url}/v1`. */
@Module({
  imports: [ConfigurationsModule, GateModule, LimitsModule, OauthModule, RestModule, SpendModule, TasksModule],
  controllers: [...controllers, ReferenceController],
  providers: [{ provide: SERVED_OPERATIONS, useValue: servedOperations(controllers) }, ApiCorsMiddleware],
})
export class ApiModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(ApiCorsMiddleware).forRoutes('v1/{*path}');
  }
}

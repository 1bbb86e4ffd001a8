import { MemberConfigurationsController } from '../rest/member-configurations.controller.js';
import { ApiController } from './api-controller.decorator.js';

@ApiController('configurations')
export class ConfigurationsController extends MemberConfigurationsController {}

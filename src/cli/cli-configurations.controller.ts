import { MemberConfigurationsController } from '../rest/member-configurations.controller.js';
import { CliController } from './cli-controller.decorator.js';

@CliController('configurations')
export class CliConfigurationsController extends MemberConfigurationsController {}

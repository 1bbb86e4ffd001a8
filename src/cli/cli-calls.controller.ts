import { MemberCallsController } from '../rest/member-calls.controller.js';
import { CliController } from './cli-controller.decorator.js';

@CliController('calls')
export class CliCallsController extends MemberCallsController {}

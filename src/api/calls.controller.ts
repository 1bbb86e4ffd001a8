import { MemberCallsController } from '../rest/member-calls.controller.js';
import { ApiController } from './api-controller.decorator.js';

@ApiController('calls')
export class CallsController extends MemberCallsController {}

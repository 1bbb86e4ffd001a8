import { MemberTasksController } from '../rest/member-tasks.controller.js';
import { CliController } from './cli-controller.decorator.js';

@CliController('tasks')
export class CliTasksController extends MemberTasksController {}

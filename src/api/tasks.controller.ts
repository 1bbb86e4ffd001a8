import { MemberTasksController } from '../rest/member-tasks.controller.js';
import { ApiController } from './api-controller.decorator.js';

@ApiController('tasks')
export class TasksController extends MemberTasksController {}

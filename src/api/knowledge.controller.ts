import { MemberKnowledgeController } from '../rest/member-knowledge.controller.js';
import { ApiController } from './api-controller.decorator.js';

@ApiController('')
export class KnowledgeController extends MemberKnowledgeController {}

import { MemberKnowledgeController } from '../rest/member-knowledge.controller.js';
import { CliController } from './cli-controller.decorator.js';

@CliController('')
export class CliKnowledgeController extends MemberKnowledgeController {}

import { EventEmitter } from 'node:events';
import { type Fixture, text } from './fixture.ts';
import { type PromptFixture, prompts, says } from './prompts.ts';
import { tools } from './tools.ts';

/** What the server has just now: all of it the same for everybody, some of it comes and goes. */
export class Shelf extends EventEmitter<{ tools: []; prompts: [] }> {
  private hasMoreTools = false;
  private hasMorePrompts = false;

  constructor() {
    super();
    this.setMaxListeners(0); // as many as there are sessions
  }

  get tools(): Record<string, Fixture> {
    const more = { description: 'Comes and goes.', call: () => text('It is there.') };
    return this.hasMoreTools ? { ...tools, test_passing_tool: more } : tools;
  }

  get prompts(): Record<string, PromptFixture> {
    const more = { description: 'Comes and goes.', get: () => says('It is there.') };
    return this.hasMorePrompts ? { ...prompts, test_passing_prompt: more } : prompts;
  }

  toggleTool(): void {
    this.hasMoreTools = !this.hasMoreTools;
    this.emit('tools');
  }

  togglePrompt(): void {
    this.hasMorePrompts = !this.hasMorePrompts;
    this.emit('prompts');
  }
}

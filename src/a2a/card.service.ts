import { Injectable } from '@nestjs/common';
import { type ConfigurationSkills, SkillsService } from '../configurations/skills.service.js';
import { Config } from '../platform/config/config.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { Principal } from '../principal/principal.js';

const noModelNotice =
  'Answered without a language model: it cites what the knowledge says word for word, and acts on exact or unambiguous instructions only.';

interface RenderedAgentCard {
  text: string;
  tag: string;
}

/** The agent card: what this caller may have the configuration do. */
@Injectable()
export class CardService {
  /** Requests that were answered together have one card. */
  private readonly cards = new WeakMap<ConfigurationSkills, RenderedAgentCard>();

  constructor(
    private readonly skills: SkillsService,
    private readonly config: Config,
  ) {}

  async cardOf(principal: Principal, configurationId: string): Promise<RenderedAgentCard> {
    const offering = await this.skills.list(principal, configurationId);
    const card = this.cards.get(offering) ?? this.render(offering);
    this.cards.set(offering, card);
    return card;
  }

  /** Of what the card says, not of this software. */
  readonly version = '1.0.0';

  descriptionOf({ description, modelConnectionId }: ConfigurationSkills['configuration']): string {
    const hasModel = modelConnectionId !== null || this.config.modelBaseUrl !== undefined;
    return [description, hasModel ? '' : noModelNotice].filter(Boolean).join(' ');
  }

  private render({ configuration, skills }: ConfigurationSkills): RenderedAgentCard {
    const text = JSON.stringify({
      name: configuration.name,
      description: this.descriptionOf(configuration),
      url: `${this.config.a2aUrl}/agents/${configuration.id}`,
      version: this.version,
      capabilities: { streaming: true, pushNotifications: false },
      defaultInputModes: ['text/plain', 'application/json'],
      defaultOutputModes: ['text/plain', 'application/json'],
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      security: [{ key: [] }],
      skills,
    });
    return { text, tag: `"${sha256(text).toString('base64url').slice(0, 22)}"` };
  }
}

import { Injectable } from '@nestjs/common';
import { type ConfigurationSkills, SkillsService } from '../configurations/skills.service.js';
import { Config } from '../platform/config/config.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { Principal } from '../principal/principal.js';

const noModelNotice =
  'Works without a language model: it quotes the knowledge base verbatim and acts only on exact or unambiguous instructions.';

interface RenderedAgentCard {
  text: string;
  tag: string;
}

/** The agent card: the skills of a configuration that this caller may use. */
@Injectable()
export class CardService {
  /** Callers that share one list of skills share one rendered card. */
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

  /** The version of the card's content, not of this software. */
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

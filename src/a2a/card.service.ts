import { Injectable } from '@nestjs/common';
import { type Offering, SkillsService } from '../configurations/skills.service.js';
import { Config } from '../platform/config/config.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { Principal } from '../principal/principal.js';

const noModel =
  'Answered without a language model: it cites what the knowledge says word for word, and acts on exact or unambiguous instructions only.';

interface Card {
  text: string;
  tag: string;
}

/** The agent card: what this caller may have the configuration do. */
@Injectable()
export class CardService {
  /** Requests that were answered together have one card. */
  private readonly cards = new WeakMap<Offering, Card>();

  constructor(
    private readonly skills: SkillsService,
    private readonly config: Config,
  ) {}

  async cardOf(principal: Principal, configurationId: string): Promise<Card> {
    const offering = await this.skills.offering(principal, configurationId);
    const card = this.cards.get(offering) ?? this.write(offering);
    this.cards.set(offering, card);
    return card;
  }

  /** Of what the card says, not of this software. */
  readonly version = '1.0.0';

  descriptionOf({ description, modelConnectionId }: Offering['configuration']): string {
    const hasModel = modelConnectionId !== null || this.config.modelBaseUrl !== undefined;
    return [description, hasModel ? '' : noModel].filter(Boolean).join(' ');
  }

  private write({ configuration, skills }: Offering): Card {
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

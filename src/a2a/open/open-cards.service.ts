import { Injectable } from '@nestjs/common';
import { type Offering, SkillsService } from '../../configurations/skills.service.js';
import { Config } from '../../platform/config/config.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { InputModes } from '../../tasks/input-modes.service.js';
import { RequiredExtensions } from '../../tasks/required-extensions.service.js';
import { CardService } from '../card.service.js';
import { detailsExtension } from './extensions.js';
import type { Caller } from './operations.service.js';
import { GrpcAddress } from './grpc/grpc-address.js';

/**
 * `hybrid`: for clients that do not name a version: the card of 0.3 with the members of 1.0 beside it.
 * `0.3 HTTP+JSON`: the ProtoJSON of 0.3's protocol buffers, which writes security differently from the JSON of 0.3.
 */
export type CardForm = '1.0' | '0.3' | '0.3 HTTP+JSON' | 'hybrid';
type Reader = Pick<Caller, 'principal' | 'configurationId'>;
export interface WrittenCard {
  text: string;
  tag: string;
  since: Date;
}

const outputModes = ['text/plain', 'application/json'];
const ownExtensions = [
  {
    uri: detailsExtension,
    description: 'What a task waits for, its approval, and the code of a failure, below "countersign" of its metadata.',
    required: false,
  },
];
/** How many cards are remembered for when they were given out first. */
const mostSeen = 1000;

/** The card of the open protocol: the same facts as that of the specification, in the words of the version asked for. */
@Injectable()
export class OpenCards {
  /** By their tags. */
  private readonly seen = new Map<string, Date>();

  constructor(
    private readonly skills: SkillsService,
    private readonly cards: CardService,
    private readonly modes: InputModes,
    private readonly required: RequiredExtensions,
    private readonly config: Config,
    private readonly grpc: GrpcAddress,
  ) {}

  async of({ principal, configurationId }: Reader, form: CardForm): Promise<object> {
    const offering = await this.skills.offering(principal, configurationId);
    const inputModes = await this.modes.of(principal, offering.configuration.modelConnectionId);
    const required = await this.required.of(principal, configurationId);
    const extensions = required === null ? ownExtensions : [...ownExtensions, { uri: required, required: true }];
    return this.write(offering, { inputModes, extensions }, form);
  }

  async written(reader: Reader, form: CardForm): Promise<WrittenCard> {
    const text = JSON.stringify(await this.of(reader, form));
    const tag = `"${sha256(text).toString('base64url').slice(0, 22)}"`;
    const since = this.seen.get(tag) ?? new Date();
    this.seen.delete(tag);
    this.seen.set(tag, since);
    if (this.seen.size > mostSeen) this.seen.delete(this.seen.keys().next().value!);
    return { text, tag, since };
  }

  private write(
    { configuration, skills }: Offering,
    { inputModes, extensions }: { inputModes: string[]; extensions: object[] },
    form: CardForm,
  ): object {
    const base = `${this.config.a2aUrl}/agents/${configuration.id}`;
    const shared = {
      name: configuration.name,
      description: this.cards.descriptionOf(configuration),
      version: this.cards.version,
      defaultInputModes: inputModes,
      defaultOutputModes: outputModes,
      skills,
    };
    const older = {
      ...shared,
      protocolVersion: '0.3.0',
      url: base,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [
        { url: base, transport: 'JSONRPC' },
        { url: base, transport: 'HTTP+JSON' },
      ],
      capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false, extensions },
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      security: [{ key: [] }],
    };
    if (form === '0.3') return older;
    const security = {
      securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      requirements: [{ schemes: { key: { list: [] } } }],
    };
    if (form === '0.3 HTTP+JSON') {
      const { stateTransitionHistory: _jsonRpcOnly, ...capabilities } = older.capabilities;
      return { ...older, capabilities, securitySchemes: security.securitySchemes, security: security.requirements };
    }
    const newer = {
      ...shared,
      supportedInterfaces: this.interfaces(configuration.id, base),
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true, extensions },
      securitySchemes: security.securitySchemes,
    };
    if (form === '1.0') return { ...newer, securityRequirements: security.requirements };
    // `security` alone names the requirement here: a2a-go cannot decode the `{"list": []}` of `securityRequirements` (its issue 430)
    return {
      ...older,
      ...newer,
      capabilities: { ...older.capabilities, ...newer.capabilities },
      securitySchemes: { key: { ...older.securitySchemes.key, ...newer.securitySchemes.key } },
    };
  }

  private interfaces(configurationId: string, base: string): object[] {
    const grpc = this.grpc.address;
    return [
      { url: base, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${base}/a2a`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      ...(grpc ? [{ url: grpc, protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: configurationId }] : []),
      { url: base, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: base, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ];
  }
}

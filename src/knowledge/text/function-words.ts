import type { Language } from './languages.js';

const wordSet = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/**
 * Words that carry no topic, and fillers of questions, without accents. They are used to detect the language, and are
 * neither indexed from texts nor searched.
 */
export const functionWords: Readonly<Record<Exclude<Language, 'en'>, ReadonlySet<string>>> = {
  da: wordSet(`
    af alle alt at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end er et for fra
    ham han hans har havde have hende hendes her hos hun hvad hver hvilken hvis hvor hvordan hvorfor hvornar i ikke ind jeg jer jo
    kan kunne man mange med meget men mig min mit mod ned nogle noget nogen nu nar og ogsa om op os over pa samt selv sig sin sine
    sit skal skulle som til ud under uden var vi vil ville vores vaere vaeret`),
  de: wordSet(`
    aber alle allem allen aller als also am an ander andere auch auf aus bei beim bin bis bist bitte da damit dann das dass dein
    dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er
    es etwas euch euer fur gegen gibt habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in
    indem ins ist ja jede jedem jeden jeder jedes kann kein keine keinem keinen keiner konnen konnte machen man manche mehr mein
    meine meinem meinen meiner mich mir mit muss mussen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen
    seiner seit sich sie sind so soll sollen sollte sondern uber um und uns unser unsere unserem unseren unter viel viele vielen
    vom von vor wahrend wann war waren warum was weil welche welchem welchen welcher welches wenn wer werde werden wie wieder will
    wir wird wo wollen wurde wurden zu zum zur zwischen`),
  es: wordSet(`
    a al algo algun alguna algunas algunos ante antes como con contra cual cuales cuando cuanta cuantas cuanto cuantos de del desde
    donde dos durante e el ella ellas ellos en entre era eran es esa esas ese eso esos esta estaba estan estar estas este esto
    estos estoy fue fueron ha hace hacer han hasta hay la las le les lo los mas me mi mis mucho muchos muy nada ni no nos nosotros
    nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque puede pueden puedo que quien quienes se
    sea ser si sin sobre son soy su sus tambien tanto te tengo tiene tienen todo todos tu tus un una uno unos y ya yo`),
  fi: wordSet(`
    ei eika en ennen eli emme et ette eivat han hanen he heidan hyvin ja jo joka jos jossa jota jotka kaikki kanssa ketka koska kuin
    kuinka kuka kun kuten me meidan mika mikali miksi milla milloin missa mista mita mitka mina minun minka mukaan mutta myos ne
    nama niin niiden noin nyt ole olen olet oli olivat olla on ovat paljon se sen seka siina sina sinun sita silla tai taman tama
    tassa te teidan vaan vai vain voi voin voiko voivat voidaan vuoksi yli`),
  fr: wordSet(`
    a afin ai alors au aucun aussi autre aux avant avec avez avoir avons c ce ceci cela celle celui ces cet cette ceux chaque chez
    combien comme comment contre d dans de depuis des dois doit doivent donc dont du elle elles en encore entre est et etaient
    etait ete etes etre eu eux faire fait font faut il ils j je jusqu l la le les leur leurs lors lorsque lui m ma mais me meme
    mes moi mon n ne ni nos notre nous on ont ou par parce pas pendant peu peut peuvent peux plus pour pourquoi qu quand que quel
    quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous tout toute toutes tres tu un
    une vers vos votre vous y`),
  it: wordSet(`
    a ad agli ai al alla alle allo anche avere aveva avevano c che chi ci come con contro cosa cui da dagli dai dal dalla dalle dallo
    degli dei del dell della delle dello deve devo devono di dopo dove e ed era erano essere fa fare fra gli ha hai hanno ho i il
    in io la le lei li lo loro lui ma mi mia mio molto ne negli nei nel nell nella nelle nello noi non nostra nostro o ogni per
    perche piu poi posso possono prima puo qual quale quali quando quanta quante quanti quanto quella quelle quelli quello questa
    queste questi questo sara se senza si sia siamo sono su sua sue sugli sui sul sull sulla sulle sullo suo suoi tra tu tua tuo
    tutti tutto un una uno vi voi`),
  nl: wordSet(`
    aan al alle als altijd andere ben bij daar dan dat de deze die dit doen door dus een eens en er ge geen geweest haar had heb
    hebben heeft hem het hier hij hoe hoeveel hun iemand iets ik in is ja je jou jouw kan kunnen maar me meer men met mij mijn moet
    moeten na naar niet niets nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor
    waar waarom wanneer want waren was wat we welk welke werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou`),
  no: wordSet(`
    alle at av ble bli blir da de deg dem den denne der deres det dette din disse du eller en enn er et etter for fra fordi fa far
    ga ha hadde han hans har henne hennes her hos hun hva hvem hver hvilken hvilke hvis hvor hvordan hvorfor i ikke inn jeg kan
    kunne man mange med meg men mer min mot mye mitt na nar noe noen og ogsa om opp oss over pa sa sin sine sitt skal skulle som
    til under ut uten var vare vart ved vi vil ville vaere vaert`),
  pt: wordSet(`
    a ao aos aquela aquele aquilo as ate com como contra cada da das de dela dele deles depois do dos e ela elas ele eles em entre
    era eram essa essas esse esses esta estao estar estas estava este estes eu faz fazer foi foram ha isso isto ja la lhe mais mas
    me mesmo meu meus minha minhas muito na nao nas nem no nos nossa nossas nosso nossos num numa o onde os ou para pela pelas
    pelo pelos pode podem por porque posso qual quais quando quantas quantos quanto que quem sao se sem sera seu seus so sobre
    sua suas tambem tem tenho ter teu tu tudo um uma umas uns voce voces vos`),
  ru: wordSet(`
    а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да для до его ее если есть еще же за здесь и
    из или им их к как какая какие какой ко когда который которая которые кто ли либо между меня мне может можно мои мой мы на над
    надо нам нас наш не него нее нет ни них но ну о об однако он она они оно от по под почему при про с сам свои свой себя сколько
    со так также такой там те тем то того тоже той только том ты у уже чего чей чем что чтобы это этого этой этом этот эта эти я`),
  sv: wordSet(`
    alla allt att av bli blir blev bland da dar de dem den denna deras dess dessa det detta dig din dina ditt du efter eller en er
    era ert ett fran far for ha hade han hans har henne hennes hon honom hos hur i icke ingen inom inte jag ja kan kunde man manga
    med mellan men mer mig min mina mitt mot mycket na nagon nagot nagra nar nu och om oss pa sa sadan samma sedan sig sin sina
    sitt sjalv ska skall skulle som till under upp ur ut utan vad var vara varfor varit varje vars vart vem vi vid vilka vilken
    vilket`),
};

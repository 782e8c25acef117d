"""What the voices say: sentences of our own in several languages, fillers, and
Debian's fortunes. For a detector of speech it does not matter that a voice reads
a foreign language by the rules of its own; variety is what counts."""
import glob
import re

OWN = """Turn the kitchen light off.|What time is it?|Stop.|Yes.|No, thanks.|Set a timer for twelve minutes, please.|
Um, I think, hmm, maybe tomorrow.|Uh, well, you know, it's like, I mean.|Hey, come over here!|Okay.|Mm, mm, yes.|
How long do I boil an egg if it comes straight out of the fridge?|Oh no, not again!|Wait. Wait a second. What was that?|
Ha ha ha, that is funny.|Shh, be quiet.|One, two, three, four, five, six, seven, eight, nine, ten.|
The quick brown fox jumps over the lazy dog.|She had your dark suit in greasy wash water all year.|
Could you, um, could you say that again?|Well. So. Right. And then we went home, and, er, that was that.|
Play the news.|Next one.|Louder!|A bit softer please.|Good morning, everybody, and welcome to the programme.|
I don't know. I really don't know.|Really?|Hello?|Hello, is anybody there?|Where are the scissors?|
Ich glaube, das reicht f\u00fcr heute.|Wie sp\u00e4t ist es?|Mach bitte das Fenster zu.|\u00c4h, ja, genau, also.|
Quelle heure est-il?|Ouvre la fen\u00eatre, s'il te pla\u00eet.|Euh, je ne sais pas trop.|Combien de temps encore?|
\u00bfQu\u00e9 hora es?|Pon la radio, por favor.|Pues, no lo s\u00e9.|Che ore sono?|Spegni la luce.|Allora, vediamo.|
Hur mycket \u00e4r klockan?|Kde je m\u016fj kl\u00ed\u010d?|Kt\u00f3ra jest godzina?|Mit \u00f6nnek?|Saat ka\u00e7?|Hoe laat is het?|
Mi ne scias.|Que horas s\u00e3o?|Desligue a luz da cozinha, por favor.|Gracias, hasta luego.|Dank je wel, tot morgen.|
Kiitos, n\u00e4hd\u00e4\u00e4n huomenna.|Wo ist denn die gro\u00dfe Pfanne?|Achtung, hei\u00df!|Papa, komm mal!|Mama, I want some more!"""


def sentences(rng, count):
    """count stretches of 1 to 220 characters, the shorter ones more often."""
    pool = [s.strip() for s in OWN.replace("\n", "").split("|")]
    found = []
    for name in sorted(glob.glob("/usr/share/games/fortunes/**/*", recursive=True)):
        if name.endswith(".dat") or name.endswith(".u8"):
            continue
        try:
            text = open(name, encoding="utf-8", errors="ignore").read()
        except OSError:
            continue
        for part in re.split(r"\n%\n", text):
            part = re.sub(r"[\s\x00-\x1f_*#|<>\\/=~^-]+", " ", part).strip()
            if 8 <= len(part) <= 600:
                found.append(part)
    out = []
    for _ in range(count):
        if rng.random() < 0.25 or not found:
            out.append(pool[rng.integers(len(pool))])
            continue
        text = found[rng.integers(len(found))]
        want = int(20 + rng.exponential(50))
        cut = text[:min(want, 220)].rsplit(" ", 1)[0]
        out.append(cut)
    return out

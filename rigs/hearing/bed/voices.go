package bed

// Voice is a synthetic person. Held says that the detector's training has never
// heard it: those are the ones that speech detection is measured on.
type Voice struct {
	Name   string
	Engine string // festival, flite or espeak-ng
	Held   bool
	Text   []string
}

// Voices are the people of the bed. The held ones are listed in
// vad/neural/train as voices not to be used: all of Festival, which is diphones
// of real recordings, flite's awb, and some languages and voice variants of
// espeak-ng. The texts are plain ASCII, which every engine reads in its own way;
// for a detector of speech that is as good.
func Voices() []Voice {
	return []Voice{
		{"ked_diphone", "festival", true, english()},
		{"lp_diphone", "festival", true, italian()},
		{"suo_fi_lj_diphone", "festival", true, finnish()},
		{"hy_fi_mv_diphone", "festival", true, finnish()},
		{"czech_dita", "festival", true, czech()},
		{"czech_machac", "festival", true, czech()},
		{"awb", "flite", true, english()},
		{"en-gb-scotland+klatt4", "espeak-ng", true, english()},
		{"eu+Andrea", "espeak-ng", true, basque()},
		{"ga+max", "espeak-ng", true, irish()},
		{"sw+iven3", "espeak-ng", true, swahili()},
	}
}

// Talkers are who says wake words: every English voice that Debian has. Their
// models were trained elsewhere, so it does not matter who else has used them.
func Talkers() []Voice {
	return []Voice{
		{"ked_diphone", "festival", true, nil},
		{"awb", "flite", true, nil},
		{"slt", "flite", false, nil},
		{"rms", "flite", false, nil},
		{"kal16", "flite", false, nil},
		{"en-us", "espeak-ng", false, nil},
		{"en-gb+f3", "espeak-ng", false, nil},
		{"en-gb-scotland+klatt4", "espeak-ng", true, nil},
	}
}

// Own is the speaker's own voice, hearthd's default.
func Own() Voice { return Voice{"slt", "flite", false, answers()} }

func english() []string {
	return []string{
		"Set a pasta timer for ten minutes.",
		"How much time is left on the oven?",
		"Add milk, eggs and a bag of flour to the shopping list.",
		"Turn the light over the table down a little.",
		"Could you tell me what the weather will be like tomorrow afternoon?",
		"Wait a moment.",
		"My sister said that she would be here before seven.",
		"How many grams are two cups of sugar?",
		"No, the other one, please.",
		"Put the kettle on and open the window.",
		"Play something quiet while we eat.",
		"Where did you put the big wooden spoon?",
	}
}

func italian() []string {
	return []string{
		"Quanto zucchero serve per la torta di mele?",
		"Spegni la luce in cucina.",
		"Metti un timer di dieci minuti per la pasta.",
		"Che tempo fa domani mattina a Torino?",
		"Aggiungi latte e pane alla lista della spesa.",
		"Basta cosi, grazie.",
	}
}

func finnish() []string {
	return []string{
		"Onko meilla viela maitoa ja leipaa huomiselle?",
		"Laita uuni paalle kahteensataan asteeseen.",
		"Kuinka kauan perunat ovat kiehuneet?",
		"Sammuta valo.",
		"Muistuta minua soittamasta aidille illalla.",
		"Mita kello on?",
	}
}

func czech() []string {
	return []string{
		"Dej mi prosim ten velky hrnec z police.",
		"Kolik minut se vari vejce na tvrdo?",
		"Zhasni svetlo v kuchyni.",
		"Pridej mleko a chleba na nakupni seznam.",
		"Jak bude zitra odpoledne?",
		"Ticho.",
	}
}

func basque() []string {
	return []string{
		"Jarri hamar minutuko tenporizadorea.",
		"Zer ordu da?",
		"Itzali sukaldeko argia, mesedez.",
		"Gehitu esnea eta ogia erosketa zerrendara.",
	}
}

func irish() []string {
	return []string{
		"Cuir an citeal ar siul agus oscail an fhuinneog.",
		"Cen t-am e anois?",
		"Cuir bainne agus aran ar an liosta.",
		"Mucha an solas sa chistin.",
	}
}

func swahili() []string {
	return []string{
		"Weka kipima muda cha dakika kumi.",
		"Saa ngapi sasa?",
		"Zima taa ya jikoni tafadhali.",
		"Ongeza maziwa na mkate kwenye orodha.",
	}
}

// answers are what hearthd says: short facts and long ones.
func answers() []string {
	return []string{
		"The pasta timer is set for ten minutes.",
		"There are nine minutes and forty seconds left on the pasta timer.",
		"I have put milk, eggs and flour on the shopping list. The list has seven things on it now.",
		"Two cups of flour are about two hundred and forty grams.",
		"Tomorrow afternoon it will rain a little, with a high of fourteen degrees and a light wind from the west.",
		"For a simple bread you need flour, water, salt and yeast. Mix everything, let the dough rest for an hour, " +
			"fold it twice, and bake it in a very hot oven until the crust is dark brown.",
		"It is twenty past seven.",
		"I cannot reach my thinker just now. Timers and lists still work.",
		"The train to Lisbon leaves at nine in the morning and arrives in the evening.",
		"Your sister asked whether you would bring the big wooden spoon when you come over on Sunday.",
	}
}
